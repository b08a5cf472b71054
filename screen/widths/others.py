"""Prints the widths that the C library or the package wcwidth gives to all characters, as ranges."""

import ctypes
import locale
import sys


def glibc():
    locale.setlocale(locale.LC_ALL, "C.UTF-8")
    library = ctypes.CDLL(None)
    library.gnu_get_libc_version.restype = ctypes.c_char_p
    version = library.gnu_get_libc_version().decode()
    return library.wcwidth, f"wcwidth(3) of glibc {version}, in the locale C.UTF-8. It gives -1 to what is not assigned."


def wcwidth():
    import wcwidth as package

    width = package.wcwidth
    unicode = package.list_versions()[-1]
    return lambda r: width(chr(r)), (
        f"Python's wcwidth {package.__version__}, for Unicode {unicode}. © Jeff Quast, MIT License."
    )


width, title = {"glibc": glibc, "wcwidth": wcwidth}[sys.argv[1]]()
sys.stdout.reconfigure(encoding="utf-8")
print("#", title)
print("# First and last code point, and their width; all others have 1.")
first, last, now = None, None, 1
for r in [*range(0x20, 0x7F), *range(0xA0, 0xD800), *range(0xE000, 0x110000), None]:
    w = 1 if r is None else width(r)
    if w == now and r == (last or 0) + 1:
        last = r
        continue
    if now != 1:
        print(f"{first:04X}..{last:04X} {now}")
    first, last, now = r, r, w
