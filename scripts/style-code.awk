# The rules of check-style.sh that look at code. Reads the output of code-only.awk; prints `file:line: what`.
function say(what) { print file ":" line ": " what }

# One of the words as a call: not a member, not the end of a longer name.
function calls(words) { return code ~ ("(^|[^A-Za-z0-9_.>])(" words ")[ \t]*[(]") }

# Lengths of functions: from the first line of the head to the closing brace. A brace at depth 0 opens a function when what stands before
# it, since the last end of a declaration, ends with ")".
function measure(    i, n, c) {
    if (directive || code ~ /^[ \t]*#/) {
        directive = code ~ /\\$/
        return
    }
    if (depth > 0 && code !~ /[{}]/) return
    n = length(code)
    for (i = 1; i <= n; i++) {
        c = substr(code, i, 1)
        if (c == "{") {
            if (depth++ == 0) { is_function = head ~ /\)[ \t]*$/; start = head_line }
        } else if (c == "}") {
            if (depth > 0 && --depth == 0) {
                if (is_function && line - start + 1 > function_max)
                    print file ":" start ": function of " line - start + 1 " lines (at most " function_max ")"
                is_function = 0
                head = ""
            }
        } else if (depth == 0) {
            if (c == ";") {
                head = ""
            } else if (head != "" || c !~ /[ \t]/) {
                if (head == "") head_line = line
                head = head c
            }
        }
    }
    if (depth == 0 && head != "") head = head " "
}

BEGIN { FS = "\t" }
{
    if ($1 != file) { depth = 0; head = ""; is_function = 0; directive = 0 }
    file = $1
    line = $2
    code = substr($0, length($1) + length($2) + 3)
    measure()
    if (code !~ /[(]|NDEBUG/) next
    if (calls("strcpy|stpcpy|strcat|sprintf|vsprintf|atoi|atol|atoll|atof|strtok|gets")) say("unbounded or unchecked function")
    if (file !~ /^src\/os\// && calls("clock_gettime|gettimeofday|time|clock|ftime|timespec_get")) say("a clock is read outside src/os")
    if (file ~ /^tests\// && calls("sleep|usleep|nanosleep|clock_nanosleep|thrd_sleep"))
        say("a test sleeps instead of waiting for a condition")
    # Comparing a secret must take the same time whatever it holds: crypto/ has the function. Ids of tokens are no
    # secrets, and their hashes are what they are looked up by: who guesses cannot choose the bytes of a hash.
    if (file !~ /^tests\// && calls("memcmp|strcmp|strncmp|hc_same") &&
        code ~ /(memcmp|strcmp|strncmp|hc_same)[ \t]*[(][^;]*(secret|password|admin_token|fleet_token|hmac)/)
        say("a secret is compared in variable time")
    if (code ~ /(^|[^A-Za-z0-9_])NDEBUG/) say("asserts stay on: NDEBUG is not used")
}
