// The viewer's settings, kept by the browser for the next visit.

const KEY = "vitcam";

export function loadSettings(defaults) {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return { ...defaults }; // storage may be switched off, or hold something else
  }
}

// those that are not named stay
export function saveSettings(settings) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...loadSettings({}), ...settings }));
  } catch {
    // then the settings last as long as the page
  }
}
