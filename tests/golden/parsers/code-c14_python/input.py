# 🤣 orders 订单
"""Prices of orders."""
import decimal

RATE = 1  # 中文注释


# about total
@cached(1)
def total(lines):
    """The sum of all lines."""
    return sum(lines)


class Order(Base):
    """One order."""

    state = "open"

    # 😀 closing
    @property
    def closed(self):
        return self.state != "open"

    limit = 3

    class Line:
        def price(self): return 1


if __name__ == "__main__":
    total([1])
