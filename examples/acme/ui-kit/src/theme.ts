/** Colours and distances. All colours reach a contrast of 4.5 : 1 on white. */
const theme = {
  colors: { primary: "#1a4fd6", secondary: "#4a5568", danger: "#b91c1c", text: "#1a202c" },
  /** Distances are multiples of four pixels. */
  space: (steps: number) => `${steps * 4}px`,
};

export default theme;
