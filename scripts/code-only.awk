# Prints `FILE<tab>LINE<tab>CODE` for every line of the C files given: comments and the contents of literals are blanked, columns stay.
# With -v keep=strings literals stay as they are (for include paths).
FNR == 1 { in_comment = 0; spliced = 0 }
{
    out = ""
    n = length($0)
    i = 1
    # A // comment goes on over a line that ends with a backslash.
    if (spliced) {
        spliced = substr($0, n, 1) == "\\"
        print FILENAME "\t" FNR "\t"
        next
    }
    # Most lines have neither comments nor literals.
    if (!in_comment && $0 !~ /["'\/]/) {
        print FILENAME "\t" FNR "\t" $0
        next
    }
    while (i <= n) {
        c = substr($0, i, 1)
        two = substr($0, i, 2)
        if (in_comment) {
            if (two == "*/") { in_comment = 0; out = out "  "; i += 2 } else { out = out " "; i++ }
        } else if (two == "/*") {
            in_comment = 1; out = out "  "; i += 2
        } else if (two == "//") {
            spliced = substr($0, n, 1) == "\\"
            break
        } else if ((c == "\"" || c == "'") && keep != "strings") {
            quote = c
            out = out c
            i++
            while (i <= n && (c = substr($0, i, 1)) != quote) {
                if (c == "\\") { out = out " "; i++ }
                out = out " "
                i++
            }
            out = out quote
            i++
        } else if (c == "\"") {                 # kept, but a comment mark inside a literal is none
            out = out c
            i++
            while (i <= n && (c = substr($0, i, 1)) != "\"") {
                if (c == "\\") { out = out c; i++; c = substr($0, i, 1) }
                out = out c
                i++
            }
            out = out "\""
            i++
        } else {
            out = out c
            i++
        }
    }
    print FILENAME "\t" FNR "\t" out
}
