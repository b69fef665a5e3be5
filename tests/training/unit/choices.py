"""Networks at random, of every choice that ViTConfig has."""

from hypothesis import strategies as st

from vitcam_training.config import IMAGENET_MEAN, IMAGENET_STD, ViTConfig

# every choice, and sizes from a short list: each new shape costs the backend a compilation
CONFIGS = st.builds(
    lambda grid, patch, heads, share, pooling, registers, shared_width, head_hidden, drop_path, **choices: ViTConfig(
        image_size=(grid[0] * patch, grid[1] * patch),
        patch_size=patch,
        width=heads * share,
        heads=heads,
        pooling=pooling,
        registers=registers if pooling in ("cls_token", "distilled") else 0,
        shared_width=0 if pooling == "distilled" or head_hidden else shared_width,
        head_hidden=head_hidden,
        drop_path=drop_path if choices["residual"] else 0.0,
        **choices,
    ),
    grid=st.sampled_from([(2, 2), (1, 3), (3, 2)]),
    patch=st.sampled_from([2, 3]),
    heads=st.sampled_from([1, 2, 4]),
    share=st.sampled_from([4, 8]),
    head_width=st.sampled_from([0, 6]),
    classes=st.sampled_from([2, 7]),
    depth=st.integers(1, 4),
    mlp_width=st.sampled_from([0, 12]),
    channels=st.sampled_from([1, 3]),
    mean=st.sampled_from([IMAGENET_MEAN, (0.5, 0.5, 0.5)]),
    std=st.sampled_from([IMAGENET_STD, (0.5, 0.5, 0.5)]),
    position=st.sampled_from(["learned", "sincos", "random", "none"]),
    pooling=st.sampled_from(["cls_token", "distilled", "first", "mean"]),
    registers=st.sampled_from([0, 2]),
    qk_norm=st.booleans(),
    norm=st.sampled_from(["pre", "post", "none"]),
    residual=st.booleans(),
    qkv_bias=st.booleans(),
    first_norm=st.booleans(),
    final_norm=st.booleans(),
    shared_width=st.sampled_from([0, 6]),
    activation=st.sampled_from(["gelu", "quick_gelu", "relu"]),
    head_hidden=st.sampled_from([0, 5]),
    dropout=st.sampled_from([0.0, 0.5]),
    attention_dropout=st.sampled_from([0.0, 0.5]),
    drop_path=st.sampled_from([0.0, 0.5]),
    layer_scale=st.sampled_from([0.0, 0.1]),
)
