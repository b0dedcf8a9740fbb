import { encodeQr } from './qr.ts';

/** The light border that readers need, in modules. */
const BORDER = 4;

/** A text as a picture that the camera of another device reads. Dark on light in both themes. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQr(text);
  if (!rows) return null;
  const size = rows.length + 2 * BORDER;
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + BORDER} ${y + BORDER}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width="200"
      height="200"
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
