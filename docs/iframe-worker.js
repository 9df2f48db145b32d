// Search without a server: browsers start no worker from a file, so its script runs in a hidden frame instead.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const load = (source) =>
        new Promise((resolve, reject) => {
          const script = inside.document.createElement("script");
          script.src = source;
          script.onload = resolve;
          script.onerror = reject;
          inside.document.body.append(script);
        });
      inside.importScripts = (...sources) => sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve());
      this.ready = load(url);
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
