"""What XLA makes of a network's gradients, as JAX shows it before it compiles."""

import jax
from keras import ops

from tests.training.unit.nets import photos, small_vit
from vitcam_training.vit import Tensor


def test_the_gradient_of_each_matrix_is_one_plain_product() -> None:
    """Products that sum over images and tokens apart made XLA copy the activations; a step took half as long again."""
    vit, images = small_vit(), photos(2)
    weights, rest = [v.value for v in vit.trainable_variables], [v.value for v in vit.non_trainable_variables]

    def loss(weights: list[Tensor]) -> Tensor:
        return ops.sum(vit.stateless_call(weights, rest, images)[0][0])

    products = [
        equation.params["dimension_numbers"][0][0]
        for equation in jax.make_jaxpr(jax.grad(loss))(weights).eqns
        if equation.primitive.name == "dot_general"
    ]

    assert len(products) > 3 * 18  # forward, and twice backward
    assert {len(summed) for summed in products} == {1}
