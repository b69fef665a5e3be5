from vitcam.model.runtime import default_threads


def test_one_core_is_left_for_the_rest_only_where_there_are_four() -> None:
    assert [default_threads(cores) for cores in (1, 2, 3, 4, 8)] == [1, 2, 3, 3, 7]
