"use strict";
// A pasted stack trace is sent in a body: proxies refuse addresses as long as that. The service
// answers with the address of its frames alone. Without this, the form sends it in the address.

(() => {
  const LONG_CHARACTERS = 1500;

  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      const token = document.querySelector("[name=csrfmiddlewaretoken]");
      if (form.getAttribute("role") !== "search" || !token) return;
      if (form.elements.q.value.length <= LONG_CHARACTERS) return;
      event.preventDefault();
      event.stopImmediatePropagation(); // htmx would send it in the address
      form.append(token.cloneNode());
      form.method = "post";
      form.submit();
    },
    true,
  );
})();
