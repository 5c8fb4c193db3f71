def good():
    return 1

def broken(:
  x = = 2

class Half
    def m(self) return

def last():
    pass
