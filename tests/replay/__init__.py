"""Answers of an older version of the code, recorded, and a comparison of the present answers with them.

``python -m tests.replay record --code FOLDER`` asks the code in FOLDER and writes ``recorded.jsonl.xz``;
``python -m tests.replay compare`` asks the code of this checkout the same questions. A verdict that changed from yes to
no or back is a flip, and the exit code is 1; everything else that changed is listed and counted.

=========  ==========================================================================
module     what is in it
=========  ==========================================================================
problems   random problem files, by number
files      data sets and large sparse problems, by number
cases      which problems are asked which commands
server     a process that answers one command after the other
ask        many questions to several servers, with a time limit each
trim       what is kept of an answer
compare    the differences of two answers
=========  ==========================================================================

No module here imports `theory`, except the server: a recording must not depend on the code that it is to check.
"""
