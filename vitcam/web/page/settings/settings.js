// The view "Settings": what a person wants to change, each with where its value comes from. A change is sent at once.

import { ask } from "../ask.js";
import { answerOf, t } from "../language/language.js";
import { checkSession } from "../session.js";
import { mergedWords, sendChange } from "../versions/change.js";
import { ModelRow } from "./model_row.js";
import { placeOf } from "./place.js";
import { nameOf, Row } from "./row.js";
import { readGroups, together } from "./table.js";
import { Tokens } from "./tokens.js";

const AGAIN_MS = 1000;
const MODEL = "model.name"; // has a row of its own
const find = (name) => document.getElementById(`settings-${name}`);

export const open = async () => new Settings(await readGroups());

class Settings {
  #groups;
  #rows = new Map(); // name -> Row
  #values = new Map();
  #unread = new Set(); // names of those of which nobody knows what was set: the same value is a change
  #etag = "";
  #model = null;
  #tokens = new Tokens();
  #last = Promise.resolve(); // one change after the other

  // groups: of table.js
  constructor(groups) {
    this.#groups = groups;
    find("restart").addEventListener("click", () => this.#restart());
  }

  async open() {
    this.#tokens.show();
    try {
      const response = checkSession(await fetch("api/settings"));
      const record = await answerOf(response);
      if (response.status === 403) return this.#say(t("settings.only_watch"));
      if (!response.ok) return this.#say(t("settings.not_loaded", { reason: record.error }));
      this.#say(record.trouble && t("settings.trouble", { reason: record.trouble }));
      this.#show(record, response.headers.get("ETag"));
    } catch {
      this.#say(t("common.no_answer"));
    }
  }

  close() {}

  // record: of /api/settings
  #show(record, etag) {
    this.#etag = etag ?? "";
    this.#values = new Map(record.settings.map(({ name, value }) => [name, value]));
    this.#unread = new Set(record.settings.filter(({ unread }) => unread).map(({ name }) => name));
    if (this.#rows.size === 0) this.#draw(record);
    for (const each of record.settings) this.#rows.get(each.name)?.show(each);
    this.#model.show(record.fixed[MODEL]);
    showFixed(record.fixed);
    const { needed, possible } = record.restart;
    find("waiting").hidden = needed.length === 0;
    find("needed").textContent = needed.length ? t("settings.restart_needed", { names: needed.map(nameOf).join(", ") }) : "";
    find("restart").hidden = !possible;
    find("by-hand").hidden = possible;
  }

  #draw(record) {
    const found = new Map(record.settings.map((each) => [each.name, each]));
    for (const [group, shapes] of this.#groups) {
      const card = document.createElement("section");
      card.className = "card settings-group";
      const title = card.appendChild(document.createElement("h2"));
      title.id = `settings-group-${group}`;
      title.textContent = t(`settings.group.${group}`);
      card.setAttribute("aria-labelledby", title.id);
      const [often, rarely] = [listOf(), listOf()];
      if (group === "model") often.append((this.#model = new ModelRow()).element);
      for (const [name, shape] of Object.entries(shapes)) {
        if (!found.has(name)) continue; // of an older daemon
        const row = new Row(found.get(name), shape, (value) => this.#change(name, value));
        this.#rows.set(name, row);
        (shape.rarely ? rarely : often).append(row.element);
      }
      card.append(often);
      if (rarely.childElementCount) card.append(moreOf(rarely));
      find("groups").append(card);
    }
  }

  #change(name, value) {
    const row = this.#rows.get(name);
    row.say(t("settings.saving"));
    this.#last = this.#last.then(() => this.#send(row, { [name]: value, ...(value === null ? {} : together(name, value, (other) => this.#values.get(other))) }));
  }

  async #send(row, values) {
    try {
      const names = Object.keys(values);
      const valuesOf = ({ settings }) => Object.fromEntries(settings.filter(({ name }) => names.includes(name)).map(({ name, value }) => [name, value]));
      const base = Object.fromEntries(names.map((name) => [name, this.#unread.has(name) ? undefined : this.#values.get(name)]));
      const { answer, etag, isMerged } = await sendChange("api/settings", "PATCH", this.#etag, base, values, { valuesOf, bodyOf: (each) => each, questionsOf, isPartial: true });
      if (!answer) {
        await this.open(); // the controls show what is in force
        return row.say(t("versions.not_saved"), true);
      }
      this.#show(answer, etag);
      row.say(answer.remembered ? t("settings.saved") + mergedWords(isMerged) : t("common.not_kept", { reason: answer.reason }), !answer.remembered);
    } catch (error) {
      await this.open();
      row.say(t("settings.refused", { reason: error.message }), true);
    }
  }

  async #restart() {
    try {
      await ask("api/restart", "POST");
    } catch (error) {
      return this.#say(error.message);
    }
    this.#say(t("settings.restarting"));
    find("waiting").hidden = true;
    await new Promise((rested) => { setTimeout(rested, 3 * AGAIN_MS); });
    while (!(await fetch("readyz").catch(() => null))) await new Promise((rested) => { setTimeout(rested, AGAIN_MS); });
    this.open();
  }

  #say(sentence) {
    find("message").hidden = !sentence;
    find("message").textContent = sentence || "";
  }
}

function questionsOf(overlaps) {
  return overlaps.map(({ key, mine, theirs }) => ({ keys: [key], title: nameOf(key), mine: wordsOf(mine), theirs: wordsOf(theirs) }));
}

// value: null for the default
function wordsOf(value) {
  if (value === null) return t("settings.from_default");
  if (typeof value === "boolean") return t(value ? "versions.on" : "versions.off");
  return Array.isArray(value) ? value.join(", ") : String(value);
}

// fixed: of /api/settings
function showFixed(fixed) {
  const lines = Object.entries(fixed).filter(([name]) => name !== MODEL).map(([name, place]) => {
    const line = document.createElement("li");
    line.textContent = `${t(`settings.place.${name.split(".").pop()}`)}: ${t("settings.fixed", { place: placeOf(place) })}`;
    return line;
  });
  find("fixed").replaceChildren(...lines);
}

function listOf() {
  const list = document.createElement("ul");
  list.className = "settings-list";
  return list;
}

function moreOf(list) {
  const details = document.createElement("details");
  details.append(Object.assign(document.createElement("summary"), { textContent: t("settings.more") }), list);
  return details;
}
