"""Reports for people."""

from shop.orders import Order, with_gift


def line(order: Order) -> str:
    """One line of a report."""
    return f"{order.total()} cents"


def summary(orders: list[Order]) -> str:
    """All orders, one a line."""
    return "\n".join(line(order) for order in orders)


def größe(order: Order) -> str:
    """Characters that need more than one byte or unit stand before the call."""
    text, order = "𝒢röße €", with_gift(order); return text + line(order)
