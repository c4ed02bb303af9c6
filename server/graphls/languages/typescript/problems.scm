(ERROR) @error
(MISSING) @missing
