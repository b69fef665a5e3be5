"""Networks at random, of every choice that ViTConfig has."""

from hypothesis import strategies as st

from vitcam_training.config import IMAGENET_MEAN, IMAGENET_STD, ViTConfig

# every choice, and sizes from a short list: each new shape costs the backend a compilation
CONFIGS = st.builds(
    lambda grid, patch, heads, head_width, pooling, registers, shared_width, **choices: ViTConfig(
        image_size=(grid[0] * patch, grid[1] * patch),
        patch_size=patch,
        width=heads * head_width,
        heads=heads,
        pooling=pooling,
        registers=registers if pooling in ("cls_token", "distilled") else 0,
        shared_width=0 if pooling == "distilled" else shared_width,
        **choices,
    ),
    grid=st.sampled_from([(2, 2), (1, 3), (3, 2)]),
    patch=st.sampled_from([2, 3]),
    heads=st.sampled_from([1, 2, 4]),
    head_width=st.sampled_from([4, 8]),
    classes=st.sampled_from([2, 7]),
    depth=st.integers(1, 4),
    mlp_width=st.sampled_from([0, 12]),
    channels=st.sampled_from([1, 3]),
    mean=st.sampled_from([IMAGENET_MEAN, (0.5, 0.5, 0.5)]),
    std=st.sampled_from([IMAGENET_STD, (0.5, 0.5, 0.5)]),
    position=st.sampled_from(["learned", "sincos", "none"]),
    pooling=st.sampled_from(["cls_token", "distilled", "first", "mean"]),
    registers=st.sampled_from([0, 2]),
    qk_norm=st.booleans(),
    norm=st.sampled_from(["pre", "post"]),
    first_norm=st.booleans(),
    final_norm=st.booleans(),
    shared_width=st.sampled_from([0, 6]),
    activation=st.sampled_from(["gelu", "quick_gelu", "relu"]),
    dropout=st.sampled_from([0.0, 0.5]),
    drop_path=st.sampled_from([0.0, 0.5]),
    layer_scale=st.sampled_from([0.0, 0.1]),
)
