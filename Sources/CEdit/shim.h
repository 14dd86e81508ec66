// What Settle uses of libedit. Its own functions take a variable number of arguments, which Swift does not call.

#ifndef SETTLE_CEDIT_SHIM_H
#define SETTLE_CEDIT_SHIM_H

#include <histedit.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What a completion has done with the line.
typedef enum settle_edit_completed {
    SETTLE_EDIT_NOTHING,
    SETTLE_EDIT_CHANGED,
    SETTLE_EDIT_LISTED,
} settle_edit_completed;

/// An editor of lines on the terminal of standard input and output.
typedef struct settle_edit {
    EditLine *line;
    History *history;
    char *prompt;
    settle_edit_completed (*complete)(void *context);
    void *context;
    bool is_cancelled;
} settle_edit;

static inline settle_edit *settle_edit_of(EditLine *line) {
    settle_edit *edit = NULL;
    (void)el_get(line, EL_CLIENTDATA, &edit);
    return edit;
}

static inline char *settle_edit_prompt(EditLine *line) { return settle_edit_of(line)->prompt; }

static inline unsigned char settle_edit_tab(EditLine *line, int character) {
    (void)character;
    settle_edit *edit = settle_edit_of(line);
    switch (edit->complete ? edit->complete(edit->context) : SETTLE_EDIT_NOTHING) {
    case SETTLE_EDIT_CHANGED: return CC_REFRESH;
    case SETTLE_EDIT_LISTED: return CC_REDISPLAY;
    default: return CC_ERROR;
    }
}

static inline unsigned char settle_edit_cancel(EditLine *line, int character) {
    (void)character;
    settle_edit_of(line)->is_cancelled = true;
    return CC_NEWLINE;
}

/// Frees an editor.
static inline void settle_edit_close(settle_edit *edit) {
    if (!edit) return;
    if (edit->line) el_end(edit->line);
    if (edit->history) history_end(edit->history);
    free(edit->prompt);
    free(edit);
}

/// Makes an editor with a history of so many lines.
///
/// Returns NULL when there is no memory, or the terminal cannot be used.
static inline settle_edit *settle_edit_open(int history_max) {
    // Without a locale of UTF-8 libedit takes each byte of a letter for one.
    if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1) (void)setlocale(LC_CTYPE, "C.UTF-8");
    settle_edit *edit = (settle_edit *)calloc(1, sizeof(settle_edit));
    if (!edit) return NULL;
    edit->line = el_init("settle", stdin, stdout, stderr);
    edit->history = history_init();
    if (!edit->line || !edit->history) {
        settle_edit_close(edit);
        return NULL;
    }
    HistEvent event;
    (void)history(edit->history, &event, H_SETSIZE, history_max);
    (void)history(edit->history, &event, H_SETUNIQUE, 1);
    (void)el_set(edit->line, EL_CLIENTDATA, edit);
    (void)el_set(edit->line, EL_PROMPT, settle_edit_prompt);
    (void)el_set(edit->line, EL_HIST, history, edit->history);
    (void)el_set(edit->line, EL_EDITOR, "emacs");
    (void)el_set(edit->line, EL_SIGNAL, 1);
    (void)el_set(edit->line, EL_ADDFN, "settle-complete", "completes a word", settle_edit_tab);
    (void)el_set(edit->line, EL_ADDFN, "settle-cancel", "gives up the line", settle_edit_cancel);
    (void)el_set(edit->line, EL_BIND, "^I", "settle-complete", NULL);
    (void)el_set(edit->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
    // The lines of the user's own file come last: they may bind keys otherwise.
    (void)el_source(edit->line, NULL);
    // Ctrl-C is a key while a line is edited, and a signal otherwise; so it is with the other keys of signals.
    (void)el_set(edit->line, EL_SETTY, "-d", "-isig", NULL);
    (void)el_set(edit->line, EL_BIND, "^C", "settle-cancel", NULL);
    return edit;
}

/// Says what completes a word when Tab is pressed.
static inline void settle_edit_set_completion(
    settle_edit *edit, settle_edit_completed (*complete)(void *context), void *context) {
    edit->complete = complete;
    edit->context = context;
}

/// Reads a line, with its end; valid until the next call.
///
/// Returns NULL at the end of the input, and when the line was given up, as `is_cancelled` then says.
static inline const char *settle_edit_read(settle_edit *edit, const char *prompt) {
    free(edit->prompt);
    edit->prompt = strdup(prompt);
    if (!edit->prompt) return NULL;
    edit->is_cancelled = false;
    // Before the prompt: libedit would do it after, and a key in between would be lost.
    (void)el_set(edit->line, EL_PREP_TERM, 1);
    int count = 0;
    const char *text = el_gets(edit->line, &count);
    return edit->is_cancelled || count <= 0 ? NULL : text;
}

/// Adds a line to the history.
static inline void settle_edit_remember(settle_edit *edit, const char *text) {
    HistEvent event;
    (void)history(edit->history, &event, H_ENTER, text);
}

/// Copies the part of the line before the cursor; to be freed. Returns NULL when there is no memory.
static inline char *settle_edit_copy_beginning(settle_edit *edit) {
    const LineInfo *info = el_line(edit->line);
    return strndup(info->buffer, (size_t)(info->cursor - info->buffer));
}

/// Puts a text in the place of so many characters before the cursor.
static inline bool settle_edit_replace(settle_edit *edit, int count, const char *text) {
    if (count > 0) el_deletestr(edit->line, count);
    return el_insertstr(edit->line, text) == 0;
}

#endif
