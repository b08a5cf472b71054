# Completion of devtools for PowerShell: dot-source it in $PROFILE.
Register-ArgumentCompleter -Native -CommandName devtools -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursorPosition } | ForEach-Object { $_.Extent.Text })
    if ($words -contains '--') { return } # another program's words
    $asked = @($words | Select-Object -Skip 1)
    if ($wordToComplete -and $wordToComplete -notlike '-*' -and $asked.Count) { $asked = @($asked | Select-Object -SkipLast 1) }
    $before = $env:DEVTOOLS_COMPLETE
    $env:DEVTOOLS_COMPLETE = '1'
    try { $lines = & $words[0] @asked --generate-shell-completion 2>$null } finally { $env:DEVTOOLS_COMPLETE = $before }
    foreach ($line in $lines) {
        $name, $usage = $line -split '(?<!\\):', 2
        $name = $name -replace '\\:', ':'
        if ($name -like "$wordToComplete*") {
            [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $(if ($usage) { $usage } else { $name }))
        }
    }
}
