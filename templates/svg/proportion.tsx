/** A share of one as a short bar, beside words that say it. */
export function Proportion({ share }: { share: number }) {
  const width = Number.isFinite(share) ? Math.max(0, Math.min(1, share)) * 100 : 0;
  return (
    <svg class="proportion" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="proportion-ground" width="100" height="6" />
      <rect class="proportion-part" width={width.toFixed(1)} height="6" />
    </svg>
  );
}
