"""A ViT some layers of which are of other classes: the base of every network with a mistake."""

from __future__ import annotations

from typing import ClassVar

from vitcam_training.vit import Attention, Block, PatchEmbedding, ViT


class AlteredViT(ViT):
    """A ViT whose layers are of the classes named here. As it stands, they are the right ones.

    The layers are exchanged before their weights are made, so that checkpoints, optimiser and export see no difference.
    """

    patches: ClassVar[type[PatchEmbedding]] = PatchEmbedding
    block: ClassVar[type[Block]] = Block
    attention: ClassVar[type[Attention]] = Attention

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        """Exchange what differs, then make all weights as ever."""
        policy = self.dtype_policy
        if self.patches is not PatchEmbedding:
            self.patch_embedding = self.patches(self.config, name="patch_embedding", dtype=policy)
        if self.block is not Block:
            self.blocks = [self.block(self.config, 0.0, name=block.name, dtype=policy) for block in self.blocks]
        if self.attention is not Attention:
            for block in self.blocks:
                block.attention = self.attention(self.config, name="attention", dtype=policy)
        super().build(input_shape)
