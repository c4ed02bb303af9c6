"""What is sold."""


class Item:
    """Something with a price."""

    def __init__(self, name: str, cents: int) -> None:
        self.name = name
        self.cents = cents

    def price(self) -> int:
        """Price in cents."""
        return self.cents


class Gift(Item):
    """An item that costs nothing."""

    def price(self) -> int:
        return 0
