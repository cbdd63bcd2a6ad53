"use strict";
// Takes the code of an invitation from the link's fragment, which browsers send to nobody, and posts it.

(() => {
  const accept = () => {
    const code = location.hash.slice(1);
    const field = document.getElementById("id_code");
    if (!code || !field) return;
    history.replaceState(null, "", location.pathname); // it does not stay in the address
    field.value = code;
    field.form.requestSubmit();
  };

  addEventListener("hashchange", accept); // the link was opened where this page was open already
  accept();
})();
