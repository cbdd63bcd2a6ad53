"use strict";
// Short cuts; the list of them is the dialog #keys.
