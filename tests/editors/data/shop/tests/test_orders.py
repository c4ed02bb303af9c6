from shop.model import Item
from shop.orders import Order
from shop.report import line


def test_total() -> None:
    assert Order([Item("apple", 30)]).total() == 30


def test_line() -> None:
    assert line(Order([])) == "0 cents"
