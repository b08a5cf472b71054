package screen

import (
	"strings"
	"testing"
)

// recordings are shortened outputs of programs for a terminal of 80x24.
var recordings = []struct{ name, in, want string }{
	{
		// A status line below a scroll region, erased at the end.
		name: "apt",
		in: "Reading package lists... 0%\r\rReading package lists... 100%\r\rReading package lists... Done\r\n" +
			"Building dependency tree... 50%\r\rBuilding dependency tree       \r\n" +
			"\r\n\x1b7\x1b[0;23r\x1b8\x1b[1A" +
			"\x1b7\x1b[24;0f\x1b[42m\x1b[30mProgress: [  0%]\x1b[49m\x1b[39m [..........] \x1b8" +
			"Unpacking hello (2.10-3) ...\r\n" +
			"\x1b7\x1b[24;0f\x1b[42m\x1b[30mProgress: [ 50%]\x1b[49m\x1b[39m [#####.....] \x1b8" +
			strings.Repeat("Setting up hello (2.10-3) ...\r\n", 30) +
			"\x1b7\x1b[24;0f\x1b[42m\x1b[30mProgress: [100%]\x1b[49m\x1b[39m [##########] \x1b8" +
			"\r\n\x1b7\x1b[0;24r\x1b8\x1b[1A\x1b[JProcessing triggers for man-db ...\r\n",
		want: "Reading package lists... Done\nBuilding dependency tree\nUnpacking hello (2.10-3) ...\n" +
			strings.Repeat("Setting up hello (2.10-3) ...\n", 30) + "Processing triggers for man-db ...\n",
	},
	{
		name: "pip",
		in: "Collecting rich\r\n  Downloading rich-13.7.1.whl (240 kB)\r\n\x1b[?25l" +
			"     \x1b[38;5;237m━━━━━━━━\x1b[0m \x1b[32m0.0/240.7 kB\x1b[0m \x1b[31m?\x1b[0m eta \x1b[36m-:--:--\x1b[0m" +
			"\r\x1b[2K     \x1b[38;2;249;38;114m━━━━\x1b[0m\x1b[38;5;237m╺━━━\x1b[0m \x1b[32m122.9/240.7 kB\x1b[0m" +
			"\r\x1b[2K     \x1b[38;2;114;156;31m━━━━━━━━\x1b[0m \x1b[32m240.7/240.7 kB\x1b[0m \x1b[31m7.1 MB/s\x1b[0m eta \x1b[36m0:00:00\x1b[0m\r\n" +
			"\x1b[?25hInstalling collected packages: rich\r\n",
		want: "Collecting rich\n  Downloading rich-13.7.1.whl (240 kB)\n" +
			"     ━━━━━━━━ 240.7/240.7 kB 7.1 MB/s eta 0:00:00\nInstalling collected packages: rich\n",
	},
	{
		// rich.progress with two bars: up and redraw.
		name: "rich",
		in: "\x1b[?25lone ━━╺━ 50%\r\ntwo ╺━━━  0%" +
			"\r\x1b[2K\x1b[1A\x1b[2Kone ━━━━ 100%\r\ntwo ━━╺━  50%" +
			"\r\x1b[2K\x1b[1A\x1b[2Kone ━━━━ 100%\r\ntwo ━━━━ 100%\r\n\x1b[?25hok\r\n",
		want: "one ━━━━ 100%\ntwo ━━━━ 100%\nok\n",
	},
	{
		name: "cargo",
		in: "\x1b[1m\x1b[32m   Compiling\x1b[0m libc v0.2.155\r\n" +
			"\x1b[1m\x1b[36m    Building\x1b[0m [=>           ] 1/9: libc\r" +
			"\x1b[K\x1b[1m\x1b[32m   Compiling\x1b[0m serde v1.0.203\r\n" +
			"\x1b[1m\x1b[36m    Building\x1b[0m [=====>       ] 4/9: serde\r" +
			"\x1b[K\x1b[1m\x1b[32m    Finished\x1b[0m `dev` profile target(s) in 1.20s\r\n",
		want: "   Compiling libc v0.2.155\n   Compiling serde v1.0.203\n    Finished `dev` profile target(s) in 1.20s\n",
	},
	{
		name: "npm",
		in:   "\x1b[1G\x1b[0K⠙\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0K⠸\x1b[1G\x1b[0K\r\nadded 57 packages in 2s\r\n\x1b[1G\x1b[0K⠼\x1b[1G\x1b[0K",
		want: "\nadded 57 packages in 2s\n",
	},
	{
		// Each layer has a row, which is overwritten from below.
		name: "docker pull",
		in: "latest: Pulling from library/nginx\r\n\r\n\x1b[1A\x1b[2K\raaa: Pulling fs layer \r\x1b[1B" +
			"\r\n\x1b[1A\x1b[2K\rbbb: Pulling fs layer \r\x1b[1B" +
			"\x1b[2A\x1b[2K\raaa: Downloading [==>   ]\r\x1b[2B\x1b[1A\x1b[2K\rbbb: Download complete \r\x1b[1B" +
			"\x1b[2A\x1b[2K\raaa: Pull complete \r\x1b[2B\x1b[1A\x1b[2K\rbbb: Pull complete \r\x1b[1B" +
			"Digest: sha256:0123\r\nStatus: Downloaded newer image for nginx:latest\r\n",
		want: "latest: Pulling from library/nginx\naaa: Pull complete \nbbb: Pull complete \n" +
			"Digest: sha256:0123\nStatus: Downloaded newer image for nginx:latest\n",
	},
	{
		// It begins with a step up and a step down. On the first row that is one step down.
		name: "docker build",
		in: "\x1b[1A\x1b[1B\x1b[0G\x1b[?25l[+] Building 0.1s (0/2)\r\n => [internal] load .dockerignore\r\n\x1b[?25h" +
			"\x1b[1A\x1b[1A\x1b[0G\x1b[?25l[+] Building 0.2s (1/2)\r\n\x1b[34m => [internal] load .dockerignore  0.0s\x1b[0m\r\n => [1/1] FROM alpine\r\n\x1b[?25h" +
			"\x1b[1A\x1b[1A\x1b[1A\x1b[0G\x1b[?25l\x1b[34m[+] Building 0.3s (2/2) FINISHED\x1b[0m\r\n\x1b[34m => [internal] load .dockerignore  0.0s\x1b[0m\r\n\x1b[34m => [1/1] FROM alpine  0.1s\x1b[0m\r\n\x1b[?25h",
		want: "\n[+] Building 0.3s (2/2) FINISHED\n => [internal] load .dockerignore  0.0s\n => [1/1] FROM alpine  0.1s\n",
	},
	{
		name: "git clone",
		in: "Cloning into 'x'...\r\nremote: Enumerating objects: 12, done.\x1b[K\r\n" +
			"remote: Counting objects:  50% (6/12)\x1b[K\rremote: Counting objects: 100% (12/12)\x1b[K\r" +
			"remote: Counting objects: 100% (12/12), done.\x1b[K\r\n" +
			"Receiving objects:   8% (1/12)\rReceiving objects: 100% (12/12)\rReceiving objects: 100% (12/12), 4.20 KiB | 4.20 MiB/s, done.\r\n",
		want: "Cloning into 'x'...\nremote: Enumerating objects: 12, done.\n" +
			"remote: Counting objects: 100% (12/12), done.\n" +
			"Receiving objects: 100% (12/12), 4.20 KiB | 4.20 MiB/s, done.\n",
	},
	{
		name: "curl",
		in: "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\r\n" +
			"                                 Dload  Upload   Total   Spent    Left  Speed\r\n" +
			"\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0" +
			"\r100 10240  100 10240    0     0  98765      0 --:--:-- --:--:-- --:--:-- 99123\r\n",
		want: "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n" +
			"                                 Dload  Upload   Total   Spent    Left  Speed\n" +
			"100 10240  100 10240    0     0  98765      0 --:--:-- --:--:-- --:--:-- 99123\n",
	},
	{
		name: "wget",
		in: "Saving to: ‘file.iso’\r\n\r\n\rfile.iso              0%[                    ]       0  --.-KB/s               " +
			"\rfile.iso             62%[===========>        ]   6.20M  31.0MB/s               " +
			"\rfile.iso            100%[===================>]  10.00M  33.1MB/s    in 0.3s    \r\n\r\n" +
			"2026-01-15 10:30:00 (33.1 MB/s) - ‘file.iso’ saved [10485760/10485760]\r\n",
		want: "Saving to: ‘file.iso’\n\nfile.iso            100%[===================>]  10.00M  33.1MB/s    in 0.3s    \n\n" +
			"2026-01-15 10:30:00 (33.1 MB/s) - ‘file.iso’ saved [10485760/10485760]\n",
	},
	{
		name: "tqdm",
		in: "\r  0%|          | 0/3 [00:00<?, ?it/s]\r 33%|███▎      | 1/3 [00:00<00:00,  9.98it/s]" +
			"\r100%|██████████| 3/3 [00:00<00:00,  9.97it/s]\r\ndone\r\n",
		want: "100%|██████████| 3/3 [00:00<00:00,  9.97it/s]\ndone\n",
	},
	{
		// readline: a prompt, a typed line corrected, completion listed below.
		name: "bash",
		in:   "\x1b[?2004h\x1b]0;~\a$ gti\b\x1b[K\b\x1b[Kit\r\n\x1b[?2004l\rfatal: not a git command\r\n\x1b[?2004h$ ",
		want: "$ git\nfatal: not a git command\n$ ",
	},
	{
		name: "vim",
		in: "before\r\n\x1b[?1049h\x1b[22;0;0t\x1b[?1h\x1b=\x1b[1;24r\x1b[?25l\x1b[H\x1b[2Jhello\r\n\x1b[94m~\r\n~\x1b[m\x1b[24;1H:q\x1b[?25h" +
			"\x1b[24;1H\x1b[K\x1b[?1l\x1b>\x1b[?1049l\x1b[23;0;0tafter\r\n",
		want: "before\nafter\n",
	},
	{
		name: "less, not left",
		in:   "before\r\n\x1b[?1049h\x1b[Hone\r\n\r\ntwo\r\n:",
		want: "before\none\n\ntwo\n:",
	},
	{
		// log-update clears its output row by row, from below.
		name: "log-update",
		in:   "- one\r\n- two\r\n\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[Gdone in 1s\r\n",
		want: "done in 1s\n",
	},
}

func TestRecordings(t *testing.T) {
	for _, r := range recordings {
		t.Run(r.name, func(t *testing.T) { checkSplits(t, 80, 24, r.in, r.want) })
	}
}
