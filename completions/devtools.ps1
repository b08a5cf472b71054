# Completion of devtools for PowerShell: dot-source it in $PROFILE.
Register-ArgumentCompleter -Native -CommandName devtools -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $begin = $commandAst.Extent.StartOffset
    $elements = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition })
    $current, $typed = '', $elements[-1].Extent
    if ($typed.EndOffset -ge $cursorPosition) { # the cursor is at the end of a word, or in it
        $current = $typed.Text.Substring(0, $cursorPosition - $typed.StartOffset).Trim("'", '"')
        $elements = @($elements | Select-Object -SkipLast 1)
    }
    $words = @($elements | ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $asked = @($words | Select-Object -Skip 1) + "=$current" # PowerShell before 7.3 drops an empty word
    $before = $env:DEVTOOLS_COMPLETE
    $env:DEVTOOLS_COMPLETE = 'pwsh'
    try { $lines = & $words[0] @asked 2>$null } finally { $env:DEVTOOLS_COMPLETE = $before }
    $found = foreach ($line in $lines) {
        $text, $about = $line -split "`t", 2
        if ($text) {
            if ($text -notlike "$([WildcardPattern]::Escape($current))*") { continue }
            $quoted = if ($text -match '[^\w@%+=:./-]') { "'" + $text.Replace("'", "''") + "'" } else { $text }
            [System.Management.Automation.CompletionResult]::new($quoted, $text, 'ParameterValue', $(if ($about) { $about } else { $text }))
            continue
        }
        $left, $at = $about -split ' '
        if ($left -eq 'command') {
            $start = if ([int]$at -lt $elements.Count) { $elements[[int]$at].Extent.StartOffset } else { $cursorPosition - $current.Length }
            $line = $commandAst.Extent.Text.Substring([Math]::Min($start - $begin, $commandAst.Extent.Text.Length))
            $cursor = $cursorPosition - $start
            [System.Management.Automation.CommandCompletion]::CompleteInput($line.PadRight($cursor), $cursor, $null).CompletionMatches
            continue
        }
        $prefix = $current.Substring(0, [int]$at)
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($current.Substring([int]$at)) |
            Where-Object { $left -eq 'files' -or $_.ResultType -eq 'ProviderContainer' } |
            ForEach-Object { [System.Management.Automation.CompletionResult]::new($prefix + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip) }
    }
    if ($found) { $found } else { '' } # otherwise PowerShell would complete files
}
