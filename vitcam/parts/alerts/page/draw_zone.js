// Draws a zone on the live picture for an alert, and comes back to it.

// done: called when the zones are closed again, whatever was drawn; returns false where there is no picture to draw on
export function drawZone(done) {
  const [button, panel] = ["zones", "zones-panel"].map((id) => document.getElementById(id));
  if (button.disabled) return false;
  let wasOpen = false;
  const watching = new MutationObserver(() => {
    if (!panel.hidden) { wasOpen = true; return; }
    if (!wasOpen) return;
    watching.disconnect();
    removeEventListener("hashchange", leave);
    location.hash = "#alerts";
    done();
  });
  // somebody has gone elsewhere
  const leave = () => {
    if (location.hash === "#live") return;
    watching.disconnect();
    removeEventListener("hashchange", leave);
  };
  watching.observe(panel, { attributeFilter: ["hidden"] });
  location.hash = "#live";
  addEventListener("hashchange", leave);
  if (panel.hidden) button.click();
  else wasOpen = true;
  return true;
}
