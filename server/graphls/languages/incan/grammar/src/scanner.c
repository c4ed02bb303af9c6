/* Indentation, ends of lines, triple-quoted strings.
 *
 * A line that begins with `.name`, deeper than the block around it, goes on with the line above (a fluent chain), so
 * that neither its indentation nor the end of the line above count. All tokens of layout have no length: after the end
 * of a block that ends an expression (`x = match y:` ...) the end of the line is found once more.
 */

#include "tree_sitter/alloc.h"
#include "tree_sitter/parser.h"

#include <string.h>

enum TokenType { NEWLINE, INDENT, DEDENT, STRING_TRIPLE, LAYOUT_END, CLOSE_BRACKET, CLOSE_PAREN, CLOSE_BRACE };

#define MOST_INDENTS 200

typedef struct {
    uint16_t indents[MOST_INDENTS];
    uint16_t depth;
} Scanner;

void *tree_sitter_incan_external_scanner_create(void) {
    Scanner *scanner = ts_malloc(sizeof(Scanner));
    scanner->depth = 1;
    scanner->indents[0] = 0;
    return scanner;
}

void tree_sitter_incan_external_scanner_destroy(void *payload) { ts_free(payload); }

unsigned tree_sitter_incan_external_scanner_serialize(void *payload, char *buffer) {
    Scanner *scanner = payload;
    unsigned size = 0;
    for (unsigned i = 1; i < scanner->depth && size + 2 <= TREE_SITTER_SERIALIZATION_BUFFER_SIZE; i++) {
        buffer[size++] = (char)(scanner->indents[i] & 0xff);
        buffer[size++] = (char)(scanner->indents[i] >> 8);
    }
    return size;
}

void tree_sitter_incan_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
    Scanner *scanner = payload;
    scanner->depth = 1;
    scanner->indents[0] = 0;
    for (unsigned at = 0; at + 1 < length && scanner->depth < MOST_INDENTS; at += 2) {
        scanner->indents[scanner->depth++] = (uint16_t)((unsigned char)buffer[at] | ((unsigned char)buffer[at + 1] << 8));
    }
}

static bool scan_triple(TSLexer *lexer) {
    int32_t quote = lexer->lookahead;
    for (int i = 0; i < 3; i++) {
        if (lexer->lookahead != quote) {
            return false;
        }
        lexer->advance(lexer, false);
    }
    int closing = 0;
    while (!lexer->eof(lexer)) {
        if (lexer->lookahead == quote) {
            closing++;
            lexer->advance(lexer, false);
            if (closing == 3) {
                lexer->mark_end(lexer);
                lexer->result_symbol = STRING_TRIPLE;
                return true;
            }
            continue;
        }
        closing = 0;
        if (lexer->lookahead == '\\') {
            lexer->advance(lexer, false);
        }
        if (!lexer->eof(lexer)) {
            lexer->advance(lexer, false);
        }
    }
    return false;
}

/* Whether what stands there is `.name` and not `..` or a number. */
static bool begins_member(TSLexer *lexer) {
    if (lexer->lookahead != '.') {
        return false;
    }
    lexer->advance(lexer, true);
    int32_t next = lexer->lookahead;
    return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '_';
}

/* Whether what stands there is `else` or `elif`: it belongs to the block above, which is no whole expression yet. */
static bool begins_alternative(TSLexer *lexer) {
    if (lexer->lookahead != 'e') {
        return false;
    }
    lexer->advance(lexer, true);
    if (lexer->lookahead != 'l') {
        return false;
    }
    lexer->advance(lexer, true);
    const char *rest = lexer->lookahead == 's' ? "se" : "if";
    for (; *rest; rest++) {
        if (lexer->lookahead != *rest) {
            return false;
        }
        lexer->advance(lexer, true);
    }
    return lexer->lookahead == ' ' || lexer->lookahead == ':';
}

bool tree_sitter_incan_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
    Scanner *scanner = payload;
    bool recovering = valid[NEWLINE] && valid[INDENT] && valid[LAYOUT_END];
    bool within_brackets = valid[CLOSE_BRACKET] || valid[CLOSE_PAREN] || valid[CLOSE_BRACE];
    bool layout = valid[NEWLINE] || valid[INDENT] || valid[DEDENT];

    lexer->mark_end(lexer);
    bool found_end = false, found_comment = false;
    uint32_t indent = 0;
    for (;;) {
        if (lexer->lookahead == '\n') {
            found_end = true;
            indent = 0;
            lexer->advance(lexer, true);
        } else if (lexer->lookahead == ' ') {
            indent++;
            lexer->advance(lexer, true);
        } else if (lexer->lookahead == '\t') {
            indent += 4;
            lexer->advance(lexer, true);
        } else if (lexer->lookahead == '\r' || lexer->lookahead == 0xFEFF) {
            lexer->advance(lexer, true);
        } else if (lexer->lookahead == '#' && layout) {
            /* Behind code the end of the line follows; a line that holds a comment alone says nothing of indentation. */
            found_comment = true;
            while (lexer->lookahead != '\n' && !lexer->eof(lexer)) {
                lexer->advance(lexer, true);
            }
        } else if (lexer->eof(lexer)) {
            indent = 0;
            found_end = true;
            break;
        } else {
            break;
        }
    }
    if (found_end && layout) {
        uint16_t current = scanner->indents[scanner->depth - 1];
        if (valid[INDENT] && !within_brackets && indent > current && scanner->depth < MOST_INDENTS) {
            scanner->indents[scanner->depth++] = (uint16_t)indent;
            lexer->result_symbol = INDENT;
            return true;
        }
        if (valid[NEWLINE] && !recovering && !within_brackets && indent > current && begins_member(lexer)) {
            return false;
        }
        if (valid[NEWLINE] && !recovering && !within_brackets && indent == current && begins_alternative(lexer)) {
            return false;
        }
        if (valid[NEWLINE] && !recovering && !within_brackets) {
            lexer->result_symbol = NEWLINE;
            return true;
        }
        if (valid[DEDENT] && indent < current && scanner->depth > 1 && !(within_brackets && !recovering)) {
            scanner->depth--;
            lexer->result_symbol = DEDENT;
            return true;
        }
    }
    if (valid[STRING_TRIPLE] && !found_comment && (lexer->lookahead == '"' || lexer->lookahead == '\'')) {
        return scan_triple(lexer);
    }
    return false;
}
