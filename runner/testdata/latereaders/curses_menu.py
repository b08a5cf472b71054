# It draws with curses, throws away what came before each question (flushinp), and reads keys.
import curses, sys, time
def main(w):
    keys = []
    for i in range(3):
        time.sleep(float(sys.argv[1]) / 2)
        curses.flushinp()
        w.addstr(i, 0, "key %d? " % i)
        w.refresh()
        keys.append(w.getch())
    return keys
keys = curses.wrapper(main)
open(sys.argv[2], "w").write(" ".join(map(str, keys)))
