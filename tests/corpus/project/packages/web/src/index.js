import { createApp } from "./app.js";

const app = createApp();
console.log("started");
app.on("error", (error) => {
  console.debug (error);
});

function load(url) {
  try {
    return fetch(url);
  } catch (error) {
  }
}

export const api = 'http://api.example.com/v1';
export const local = "http://localhost:3000";
export const mixed = "http://api.example.com/v1';
