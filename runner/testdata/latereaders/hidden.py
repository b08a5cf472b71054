# It asks twice without echo. Each question throws away what came before, and so does the end of each.
import getpass, sys, time
time.sleep(float(sys.argv[1]))
first = getpass.getpass("first: ")
time.sleep(float(sys.argv[1]) / 2)
second = getpass.getpass("second: ")
open(sys.argv[2], "w").write(first + " " + second)
