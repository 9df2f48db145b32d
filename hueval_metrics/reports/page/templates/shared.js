"use strict";
// Helpers of all scripts of the page, which are joined into one. What models and judges wrote is untrusted: it goes into
// the page as text alone (textContent), never as markup.
const root = document.documentElement;
const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (name, className = "", ...children) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
};
