"""Below a path of a host, behind Debian's nginx and Caddy: whatever the proxy takes away or says."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urljoin, urlsplit

import pytest

from tests.integration.web.page.history.site import Site, history_site
from tests.proxies import BASE, proxy
from tests.secured import FORM, PASSWORD, Answer, ask, cookie, quick_hash
from vitcam.access.guard import Guard
from vitcam.web.given import Binding

TRUSTED = ("127.0.0.1",)
LOGIN = urlencode({"password": PASSWORD})
WAYS = {
    "nginx takes the path away and says it": ("nginx", Binding(proxies=TRUSTED), True, True),
    "nginx takes the path away and says nothing": ("nginx", Binding(), True, False),
    "nginx takes the path away, and the setting says it": ("nginx", Binding(base=BASE), True, False),
    "nginx leaves the path, and the setting says it": ("nginx", Binding(base=f"{BASE}/"), False, False),
    "nginx leaves the path and says it": ("nginx", Binding(proxies=TRUSTED), False, True),
    "Caddy takes the path away and says it": ("caddy", Binding(proxies=TRUSTED), True, True),
    "Caddy leaves the path, and the setting says it": ("caddy", Binding(base=BASE), False, False),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sites")


@pytest.fixture(params=WAYS, ids=[name.replace(" ", "-") for name in WAYS], scope="module")
def shown(request: pytest.FixtureRequest, folder: Path) -> Iterator[tuple[str, bool]]:
    """The address of the page, and whether vitcam is told the path."""
    name, binding, strips, says = WAYS[request.param]
    place = folder / str(list(WAYS).index(request.param))
    place.mkdir()
    guarded = Binding(proxies=binding.proxies, base=binding.base, guard=Guard(quick_hash(), place))
    with (
        history_site(place, 2, guarded) as site,
        proxy(name, site.server.url, place / "proxy", strips=strips, says=says) as url,
    ):
        yield url, bool(binding.base or binding.proxies)


def get(url: str, headers: dict[str, str] | None = None) -> Answer:
    return ask(url, urlsplit(url).path, headers={"Accept": "text/html", **(headers or {})})


def follow(url: str, answer: Answer) -> str:
    """Where a browser goes."""
    assert answer.status in (303, 307), answer
    return urljoin(url, answer.header("Location"))


def log_in(url: str, **headers: str) -> Answer:
    return ask(url, f"{urlsplit(url).path}login", "POST", LOGIN, {"Content-Type": FORM, **headers})


def test_login_page_files_session_and_logout_work_below_the_path(shown: tuple[str, bool]) -> None:
    url, is_told = shown
    login = follow(url, get(url))
    page = get(login)
    opened = log_in(url)
    home = follow(login, opened)
    index = get(home, cookie(opened)).body.decode()
    linked = re.findall(r'(?:src|href)="([^"#]+)"', index + page.body.decode())
    ended = ask(url, f"{BASE}/logout", "POST", headers=cookie(opened))

    assert (login, home) == (f"{url}login", url)
    assert f"Path={BASE if is_told else '/'};" in opened.header("Set-Cookie")
    assert len(linked) > 5
    assert {get(urljoin(url, each), cookie(opened) if "login" not in each else {}).status for each in linked} >= {200}
    assert [each for each in linked if get(urljoin(url, each), {}).status == 404] == []
    assert follow(f"{url}logout", ended) == f"{url}login"
    assert ask(url, f"{BASE}/api/state", headers=cookie(opened)).status == 401


def test_addresses_in_answers_lead_to_what_they_name(shown: tuple[str, bool]) -> None:
    url, is_told = shown
    known = cookie(log_in(url))
    event = json.loads(get(f"{url}api/events", known).body)["events"][0]
    server = json.loads(get(f"{url}openapi.json", known).body)["servers"][0]["url"]
    described = f"{urljoin(f'{url}openapi.json', server).removesuffix('/')}/api/state"

    assert get(described, known).status == 200
    assert get(f"{url}api/nothing", known).status == 404
    if is_told:
        assert event["frame"].startswith(f"{BASE}/api/events/")
        assert get(urljoin(url, event["frame"]), known).body[:2] == b"\xff\xd8"
        assert get(url.removesuffix("/"), known).status in (301, 302, 307)


HOSTILE = [
    "//evil.example",
    "/a/../..",
    "/%2e%2e/a",
    "javascript:alert(1)",
    "https://evil.example",
    "/a;Domain=evil.example",
    "/a b",
    "/a\\b",
    "/a\tSet-Cookie: x=1",
    "/" + 300 * "a",
    "a",
    "/a//b",
    "/.",
    "/api",
    "/login/x",
    "/ä",
]  # fmt: skip


@pytest.fixture(scope="module")
def trusting(folder: Path) -> Iterator[Site]:
    place = folder / "trusting"
    with history_site(place, 0, Binding(proxies=("127.0.0.2",), guard=Guard(quick_hash(), place))) as site:
        yield site


@pytest.mark.parametrize("prefix", HOSTILE)
def test_a_hostile_prefix_is_ignored(trusting: Site, prefix: str) -> None:
    said = {"X-Forwarded-Prefix": prefix.encode("utf-8").decode("latin-1")}
    opened = ask(trusting.server.url, "/login", "POST", LOGIN, {"Content-Type": FORM, **said}, "127.0.0.2")
    to_login = ask(trusting.server.url, "/", headers={"Accept": "text/html", **said}, address="127.0.0.2")
    state = ask(trusting.server.url, "/api/state", headers=cookie(opened) | said, address="127.0.0.2")

    assert (opened.status, opened.header("Location")) == (303, "./")
    assert "Path=/;" in opened.header("Set-Cookie")
    assert (to_login.status, to_login.header("Location")) == (303, "login")
    assert state.status == 200


def test_a_prefix_from_anybody_but_a_trusted_proxy_is_ignored(trusting: Site) -> None:
    said = {"X-Forwarded-Prefix": BASE}
    opened = log_in(f"{trusting.server.url}/", **said)
    below, trusted = (
        ask(trusting.server.url, f"{BASE}/healthz", headers=cookie(opened) | said, address=address)
        for address in ("127.0.0.1", "127.0.0.2")
    )

    assert opened.header("Location") == "./"
    assert (below.status, trusted.status) == (404, 200)


def test_a_path_that_repeats_itself_is_no_longer_way(site_at_base: Site) -> None:
    url = site_at_base.server.url
    assert ask(url, f"{BASE}/healthz").status == 200
    assert ask(url, "/healthz").status == 200
    assert ask(url, f"{BASE}{BASE}/healthz").status == 404
    assert ask(url, BASE * 400 + "/healthz").status == 404
    assert ask(url, f"{BASE}-other/healthz").status == 404
    assert ask(url, f"{BASE}/healthz", "POST").status == 405
    assert ask(url, f"{BASE}?action=snapshot").header("Location") == f"{BASE}/?action=snapshot"
    assert ask(url, f"{BASE}/?action=snapshot").body[:2] == b"\xff\xd8"


@pytest.fixture
def site_at_base(tmp_path: Path) -> Iterator[Site]:
    with history_site(tmp_path, 0, Binding(base=BASE)) as site:
        yield site


def test_a_session_for_the_whole_host_and_one_for_the_path_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Browsers send both cookies, the one of the longer path first."""
    with history_site(tmp_path, 0, Binding(base=BASE, guard=Guard(quick_hash(), tmp_path))) as site:
        value = log_in(f"{site.server.url}{BASE}/").session
        other = "a" * 43
        first = {"Cookie": f"vitcam_session={value}; vitcam_session={other}"}
        last = {"Cookie": f"vitcam_session={other}; vitcam_session={value}"}
        statuses = [ask(site.server.url, "/api/state", headers=headers).status for headers in (first, last)]

    assert statuses == [200, 200]
