export const { useEffect, useState } = globalThis.React;
