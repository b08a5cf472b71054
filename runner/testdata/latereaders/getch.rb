# ruby: it asks for a line, a hidden line and a key, and works before each.
require "io/console"
work = ->() { finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + ARGV[0].to_f / 2; nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish }
work.()
print "line: "
line = STDIN.gets.chomp
work.()
hidden = STDIN.getpass("hidden: ")
work.()
STDIN.ioflush
key = STDIN.getch
File.write(ARGV[1], [line, hidden, key].join(" "))
