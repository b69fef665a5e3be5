// Earlier weeks, each with its days: a picture and what was seen. They are asked for when the viewer comes to them.

import { t } from "../language/language.js";
import { addPictures, child } from "./card.js";
import { summarise } from "./api.js";
import { midnights, weekOf } from "./periods.js";
import { countedNames, dayAfter, dayName, dayOf, listed, shortDayName, summaryOf, weekName } from "./words.js";

const PICTURE_PX = 160;
const STORIES = 5;
const OFTEN = 3;

export class Diary {
  #element = document.getElementById("diary");
  #weeks = document.getElementById("diary-weeks");
  #more = document.getElementById("diary-more");
  #note = document.getElementById("diary-later");
  #filters = null;
  #shown = null;
  #next = null; // a day of the week that comes next; null: there is none
  #isLoading = false;
  #failed;

  constructor(failed) {
    this.#failed = failed;
    this.#more.addEventListener("click", () => this.#load());
    new IntersectionObserver((entries) => { if (entries.some(({ isIntersecting }) => isIntersecting) && !this.#weeks.children.length) this.#load(); }).observe(this.#element);
  }

  // filters: of filters.js
  show(filters) {
    this.#filters = filters;
    this.#element.hidden = filters.lists;
    const shown = JSON.stringify(filters.conditions);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#weeks.replaceChildren();
    this.#note.hidden = true;
    this.#next = dayOf(Date.now());
    this.#more.hidden = false;
    this.#more.textContent = t("history.show_weeks");
  }

  // events came or went while nobody looked
  forget() {
    this.#shown = null;
  }

  async #load() {
    if (this.#isLoading || this.#next === null) return;
    this.#isLoading = true;
    const shown = this.#shown;
    try {
      const week = weekOf(this.#next);
      const summary = await summarise(this.#filters.conditions, midnights(week, 7), STORIES);
      if (shown !== this.#shown) return;
      if (!this.#weeks.children.length) this.#tellLater(summary.later);
      if (summary.whole.events) this.#weeks.append(makeWeek(week, summary, this.#filters));
      this.#next = summary.earlier && dayOf(summary.earlier);
      this.#more.hidden = !this.#next;
      this.#more.textContent = t("history.earlier_weeks");
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isLoading = false;
    }
    if (this.#next && !this.#weeks.children.length && shown === this.#shown) await this.#load(); // the newest week that has something
  }

  // a clock that was wrong may have dated events later than now
  #tellLater(later) {
    this.#note.hidden = !later;
    if (!later) return;
    const day = dayOf(later);
    const link = document.createElement("a");
    link.href = `#${this.#filters.address({ day, days: "", from: "", hours: "", open: "", with: "" })}`;
    link.textContent = dayName(day);
    this.#note.replaceChildren(`${t("history.dated_later")} `, link);
  }
}

function makeWeek(first, { whole, parts, oldest }, filters) {
  const week = document.createElement("li");
  week.className = "week card";
  const head = child(week, "div", "week-head");
  addPicture(child(head, "span", "thumb"), whole);
  const words = child(head, "div");
  const link = child(child(words, "h3"), "a", "", weekName(first));
  link.href = `#${filters.address({ day: first, days: "7", from: "", hours: "", open: "", with: "" })}`;
  const often = whole.stories.filter(({ newness }) => !newness);
  child(words, "p", "hint", [summaryOf(whole, oldest), often.length ? t("history.most_often", { names: countedNames(often, OFTEN) }) : ""].filter(Boolean).join(" "));
  const days = child(week, "ol", "week-days");
  parts.forEach((part, number) => { if (part.events) days.append(makeDay(dayAfter(first, number), part, filters)); });
  return week;
}

function makeDay(day, part, filters) {
  const item = document.createElement("li");
  const link = child(item, "a", "week-day");
  link.href = `#${filters.address({ day, days: "", from: "", hours: "", open: "", with: "" })}`;
  addPicture(child(link, "span", "thumb"), part);
  child(link, "b", "", shortDayName(day));
  child(link, "span", "small", t("history.n_events", { n: part.events }));
  const news = part.stories.filter(({ newness }) => newness).map(({ label }) => label);
  child(link, "span", news.length ? "small news" : "small", news.length ? listed(news) : countedNames(part.stories, 1));
  return item;
}

// the first story that has one is the picture of its day
function addPicture(place, { stories }) {
  const story = stories.find(({ event }) => event.frame);
  if (!story) return;
  addPictures(place, { ...story.event, box: null }, PICTURE_PX);
  for (const image of place.querySelectorAll("img")) Object.assign(image, { loading: "lazy", src: image.dataset.src });
}
