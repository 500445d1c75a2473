"""An FMU of somebody else, from foreign.c."""
import os
import subprocess
import zipfile

here = os.path.dirname(os.path.abspath(__file__))
description = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="decay" guid="{1}">
  <%s modelIdentifier="foreign"/>
  <DefaultExperiment startTime="0" stopTime="1" stepSize="0.125"/>
  <ModelVariables>
    <ScalarVariable name="y" valueReference="0" causality="output"><Real/></ScalarVariable>
    <ScalarVariable name="k" valueReference="1" causality="parameter" variability="tunable"><Real start="2"/></ScalarVariable>
    <ScalarVariable name="'u &amp; v'.x" valueReference="2" causality="input"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="count" valueReference="2" causality="output"><Integer/></ScalarVariable>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>
"""


class Foreign:
    def __init__(self, folder):
        self.library = os.path.join(folder, "foreign.so")
        self.path = os.path.join(folder, "foreign.fmu")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", os.path.join(here, "foreign.c"), "-o",
                        self.library], check=True)

    def described(self, identifier):
        return description.replace('"foreign"', '"%s"' % identifier)

    def pack(self, kind="CoSimulation", platform="linux64", text=description, more={}):
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("modelDescription.xml", text % kind if "%s" in text else text)
            archive.write(self.library, "binaries/%s/foreign.so" % platform)
            archive.writestr("resources/table.txt", "1 2 3")
            for name, content in more.items():
                archive.writestr(name, content)
