// Reads what a viewer dropped, pasted or chose: one photo, or a sentence that says why it is not one.

const CHOOSE = "Choose a JPEG, PNG or WebP";
export const MAX_BYTES = 32 * 1024 * 1024;

// transfer: a DataTransfer; returns {photo} or {sentence}
export function readTransfer(transfer) {
  const folder = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).find((entry) => entry?.isDirectory);
  if (folder) return { sentence: `“${folder.name}” is a folder. Drop one photo from it` };
  return transfer.files.length ? readFiles(transfer.files) : { sentence: describeOther(transfer) };
}

// files: a FileList with at least one file
export function readFiles(files) {
  if (files.length > 1) return { sentence: `These are ${files.length} files. Choose one photo at a time` };
  const [photo] = files;
  // a file without a type may still be a photo: the daemon checks its first bytes
  if (photo.type && !photo.type.startsWith("image/")) return { sentence: `“${photo.name}” is not a picture (${photo.type}). ${CHOOSE}` };
  if (photo.size === 0) return { sentence: `“${photo.name}” is empty. ${CHOOSE}` };
  if (photo.size > MAX_BYTES) return { sentence: `“${photo.name}” is larger than 32 MiB. Choose a smaller photo` };
  return { photo };
}

function describeOther(transfer) {
  if (transfer.types.includes("text/uri-list")) return "This is only a link to a picture or a page. Save the picture as a file, then drop that file";
  return `This is text, not a picture. ${CHOOSE}`;
}
