// What the view "Learn" asks of the daemon. A refusal is thrown with the daemon's sentence.

import { ask, send } from "../ask.js";

export const offersOf = () => ask("api/learn");
export const classify = (photo) => ask("api/classify?input=1", "POST", photo);
export const attentionOf = async (photo) => (await send("api/attention", "POST", photo)).arrayBuffer();
export const sampleOf = async (name) => (await send(`page/learn/${name}`)).blob();
export const pictureNow = async () => (await send("snapshot.jpg?overlay=none&quality=90")).blob();
export const fetchPicture = async (url) => (await send("api/fetch", "POST", { url })).blob();
export const useModel = (name) => ask("api/model", "POST", { name });
