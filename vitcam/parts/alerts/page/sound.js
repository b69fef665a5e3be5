// The sound of an alert: two tones. Browsers play it once somebody has pressed anything on the page.

const KEY = "vitcam mute"; // kept by the browser
const TONES = [[880, 0], [1175, 0.18]]; // Hz, and when it begins in s
const TONE_S = 0.5;
const LOUD = 0.3;
let context = null;

export function isMuted() {
  try {
    return localStorage.getItem(KEY) === "1";
  } catch {
    return false;
  }
}

export function mute(muted) {
  try {
    if (muted) localStorage.setItem(KEY, "1");
    else localStorage.removeItem(KEY);
  } catch {
    // the browser keeps nothing
  }
}

// returns whether it can be heard
export async function play() {
  context ??= new AudioContext();
  await Promise.race([context.resume(), new Promise((rested) => { setTimeout(rested, 300); })]);
  if (context.state !== "running") return false;
  for (const [pitch, after] of TONES) tone(pitch, context.currentTime + after);
  return true;
}

function tone(pitch, start) {
  const [source, volume] = [context.createOscillator(), context.createGain()];
  source.frequency.value = pitch;
  volume.gain.setValueAtTime(LOUD, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + TONE_S);
  source.connect(volume).connect(context.destination);
  source.start(start);
  source.stop(start + TONE_S);
}
