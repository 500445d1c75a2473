"""FMI 2.0 through ctypes, as much as the tests need: nothing but Python is required."""
import ctypes
import os
import tempfile
import xml.etree.ElementTree
import zipfile

LOGGER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p,
                          ctypes.c_char_p, ctypes.c_char_p)


class Callbacks(ctypes.Structure):
    _fields_ = [("logger", LOGGER), ("allocate", ctypes.c_void_p), ("free", ctypes.c_void_p),
                ("finished", ctypes.c_void_p), ("environment", ctypes.c_void_p)]


class EventInfo(ctypes.Structure):
    _fields_ = [("again", ctypes.c_int), ("terminate", ctypes.c_int), ("nominals", ctypes.c_int),
                ("values", ctypes.c_int), ("timed", ctypes.c_int), ("time", ctypes.c_double)]


class Error(Exception):
    pass


class Archive:
    """An FMU: its description, and its library, unpacked."""

    def __init__(self, path):
        self.folder = tempfile.TemporaryDirectory()
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            archive.extractall(self.folder.name)
        self.root = xml.etree.ElementTree.parse(self.file("modelDescription.xml")).getroot()
        kind = self.root.find("CoSimulation")
        self.kind = kind if kind is not None else self.root.find("ModelExchange")
        self.library_path = self.file("binaries", "linux64",
                                      self.kind.get("modelIdentifier") + ".so")
        self.use(self.library_path)
        self.variables = self.root.find("ModelVariables")
        self.reference = {v.get("name"): int(v.get("valueReference")) for v in self.variables}
        self.indicators = int(self.root.get("numberOfEventIndicators"))
        order = [int(u.get("index")) for u in self.root.findall("ModelStructure/Derivatives/Unknown")]
        states = [int(self.variables[i - 1].find("Real").get("derivative")) for i in order]
        self.states = [self.variables[i - 1].get("name") for i in states]

    def use(self, path):
        self.library_path = path
        self.library = ctypes.CDLL(path)
        self.library.fmi2Instantiate.restype = ctypes.c_void_p

    def file(self, *parts):
        return os.path.join(self.folder.name, *parts)


class Instance:
    def __init__(self, archive, exchange=False):
        self.archive = archive
        self.library = archive.library
        self.messages = []
        self.logger = LOGGER(lambda *a: self.messages.append((a[4] or b"").decode() + " "
                                                            + (a[5] or b"").decode()))
        self.callbacks = Callbacks(self.logger)
        self.c = self.library.fmi2Instantiate(b"it", 0 if exchange else 1,
                                              archive.root.get("guid").encode(), b"",
                                              ctypes.byref(self.callbacks), 0, 1)
        if not self.c:
            raise Error("not instantiated: %s" % self.messages)

    def call(self, name, *arguments):
        status = getattr(self.library, "fmi2" + name)(ctypes.c_void_p(self.c), *arguments)
        if status > 1:
            raise Error("fmi2%s gives %d: %s" % (name, status, self.messages))
        return status

    def start(self, t=0.0, tolerance=None, values=None):
        self.call("SetupExperiment", int(tolerance is not None), ctypes.c_double(tolerance or 0),
                  ctypes.c_double(t), 0, ctypes.c_double(0))
        for name, value in (values or {}).items():
            self.set(name, value)
        self.call("EnterInitializationMode")
        self.call("ExitInitializationMode")
        return self

    def references(self, names):
        return (ctypes.c_uint * len(names))(*[self.archive.reference[n] for n in names])

    def get(self, names):
        out = (ctypes.c_double * len(names))()
        self.call("GetReal", self.references(names), ctypes.c_size_t(len(names)), out)
        return list(out)

    def set(self, name, value):
        self.call("SetReal", self.references([name]), ctypes.c_size_t(1),
                  (ctypes.c_double * 1)(value))

    def step(self, t, h):
        self.call("DoStep", ctypes.c_double(t), ctypes.c_double(h), 1)

    def save(self):
        state = ctypes.c_void_p()
        self.call("GetFMUstate", ctypes.byref(state))
        size = ctypes.c_size_t()
        self.call("SerializedFMUstateSize", state, ctypes.byref(size))
        out = (ctypes.c_char * size.value)()
        self.call("SerializeFMUstate", state, out, size)
        self.call("FreeFMUstate", ctypes.byref(state))
        return bytes(out)

    def restore(self, data):
        state = ctypes.c_void_p()
        self.call("DeSerializeFMUstate", ctypes.create_string_buffer(data, len(data)),
                  ctypes.c_size_t(len(data)), ctypes.byref(state))
        self.call("SetFMUstate", state)
        self.call("FreeFMUstate", ctypes.byref(state))

    def free(self):
        self.library.fmi2FreeInstance(ctypes.c_void_p(self.c))
