// Reads what a viewer dropped, pasted or chose: one photo, or a sentence that says why it is not one.

import { t } from "./language/language.js";

export const MAX_BYTES = 32 * 1024 * 1024;

// transfer: a DataTransfer; returns {photo} or {sentence}, of a link {sentence, address}
export function readTransfer(transfer) {
  const folder = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).find((entry) => entry?.isDirectory);
  if (folder) return { sentence: t("transfer.folder", { name: folder.name }) };
  return transfer.files.length ? readFiles(transfer.files) : describeOther(transfer);
}

// files: a FileList with at least one file
export function readFiles(files) {
  if (files.length > 1) return { sentence: t("transfer.several", { n: files.length }) };
  const [photo] = files;
  // a file without a type may still be a photo: the daemon checks its first bytes
  if (photo.type && !photo.type.startsWith("image/")) return { sentence: t("transfer.not_picture", { name: photo.name, type: photo.type }) };
  if (photo.size === 0) return { sentence: t("transfer.empty", { name: photo.name }) };
  if (photo.size > MAX_BYTES) return { sentence: t("transfer.large", { name: photo.name }) };
  return { photo };
}

function describeOther(transfer) {
  if (!transfer.types.includes("text/uri-list")) return { sentence: t("transfer.text") };
  return { sentence: t("transfer.link"), address: transfer.getData("text/uri-list").split("\n")[0].trim() };
}
