"""What a package of Debian carries, as a bill of materials (CycloneDX), and the licences of it."""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deb.lock import Suite

_BUNDLED: Final = re.compile(r"(?P<name>lib.+)-[0-9a-f]{8}(?P<rest>\..+)")
"""A library that a wheel brings beside Python's: such as libx264-d6533a8d.so.165."""
_COPYLEFT: Final = {"libx264": "GPL-2.0-or-later", "libx265": "GPL-2.0-or-later"}
"""Libraries that a wheel brings under a licence which asks for more than its own does; the wheel does not say so."""
_LICENCE_FILE: Final = re.compile(r"(licen[sc]e|copying|notice|epl-|edl-)", re.IGNORECASE)


def bill_of_materials(tree: Path, suite: Suite) -> str:
    """JSON of CycloneDX 1.6 that names each library with version, licence and the hashes of its wheels.

    tree   an unpacked package; those of all processors have the same libraries
    suite  whose lock has the hashes
    """
    hashes = dict(_hashes(suite))
    found: dict[str, Distribution] = {canonicalize_name(each.name): each for each in _distributions(tree)}
    components: dict[str, Component] = {name: _component(each, hashes.get(name, [])) for name, each in found.items()}
    bom = Bom(components=[each for name, each in components.items() if name != "vitcam"])
    bom.metadata.component = components["vitcam"]
    for name, component in components.items():
        wanted = {canonicalize_name(Requirement(line).name) for line in found[name].requires or []}
        bom.register_dependency(component, [components[other] for other in sorted(wanted & components.keys() - {name})])
    return make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1)


def licence_texts(tree: Path) -> Iterator[tuple[str, str]]:
    """Of each library in an unpacked package but vitcam: its name with its licence, and the texts that it brings."""
    for each in _distributions(tree):
        if each.name != "vitcam":
            files = sorted(
                Path(str(each.locate_file(file)))
                for file in each.files or []
                if ".dist-info/" in str(file) and _LICENCE_FILE.match(file.name)
            )
            texts = [path.read_text("utf-8", "replace") for path in files if path.is_file()]
            more = sorted(f"{name} {version}".strip() for name, version in _bundled(each))
            brings = f"It brings {', '.join(more)}." if more else ""
            yield (
                f"{each.name} {each.version}: {' AND '.join(_licences(each))}",
                "\n\n".join([*filter(None, [brings]), *texts]),
            )


def _distributions(tree: Path) -> list[Distribution]:
    (site,) = tree.glob("usr/lib/vitcam/lib/python3*/site-packages")
    return sorted(distributions(path=[str(site)]), key=lambda each: each.name.lower())


def _component(each: Distribution, digests: list[str]) -> Component:
    wheels = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(f"https://pypi.org/project/{each.name}/{each.version}/#files"),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest) for digest in digests],
    )
    own = each.name == "vitcam"
    return Component(
        name=each.name,
        version=each.version,
        type=ComponentType.APPLICATION if own else ComponentType.LIBRARY,
        bom_ref=f"{each.name}=={each.version}",
        purl=None if own else PackageURL("pypi", name=canonicalize_name(each.name), version=each.version),
        licenses=[LicenseFactory().make_from_string(text) for text in _licences(each)],
        external_references=[wheels] if digests else [],
        components=[
            Component(
                name=name,
                version=version or None,
                type=ComponentType.LIBRARY,
                licenses=[LicenseFactory().make_from_string(_COPYLEFT[name])] if name in _COPYLEFT else [],
            )
            for name, version in _bundled(each)
        ],
    )


def _licences(each: Distribution) -> list[str]:
    """As the library says it: SPDX's expression, else a short text, else the end of its classifiers."""
    about = each.metadata
    said: list[str] = [*about.get_all("License-Expression", []), *about.get_all("License", [])]
    if said and said[0].strip() and "\n" not in said[0]:
        return [said[0].strip()]
    kinds: list[str] = about.get_all("Classifier", [])
    return [kind.rpartition(" :: ")[2] for kind in kinds if kind.startswith("License ::")] or ["unknown"]


def _bundled(each: Distribution) -> Iterator[tuple[str, str]]:
    """Name and version of each library that the wheel has beside its modules."""
    for file in each.files or []:
        if file.parent.name.endswith(".libs") and (found := _BUNDLED.fullmatch(file.name)):
            yield found["name"], found["rest"].replace(".so", "").strip(".")


def _hashes(suite: Suite) -> Iterator[tuple[str, list[str]]]:
    """Of each library in the lock: its name, and the SHA-256 of its wheels."""
    for line in suite.lock.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            pinned, *words = line.split()
            yield canonicalize_name(pinned.partition("==")[0]), [word.rpartition(":")[2] for word in words]
