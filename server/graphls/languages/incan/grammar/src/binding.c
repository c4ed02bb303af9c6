/* Hands the grammar to Python: `language()` gives a capsule that tree-sitter's binding takes. */

#include <Python.h>

typedef struct TSLanguage TSLanguage;

const TSLanguage *tree_sitter_incan(void);

static PyObject *language(PyObject *self, PyObject *arguments) {
    (void)self;
    (void)arguments;
    return PyCapsule_New((void *)tree_sitter_incan(), "tree_sitter.Language", NULL);
}

static PyMethodDef methods[] = {
    {"language", language, METH_NOARGS, "The grammar of Incan."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "incan_grammar", "The grammar of Incan.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_incan_grammar(void) { return PyModule_Create(&module); }
