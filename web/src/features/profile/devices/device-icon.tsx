import { Box, chakra } from '@chakra-ui/react'
import type { Device } from '@/lib/api/types'

/** Outlines on a 24-unit grid: a browser window, and a laptop. */
const outlines: Record<Device['kind'], string> = {
  browser: 'M4.5 5.5h15v13h-15zM4.5 9.5h15M7 7.5h.01M9.5 7.5h.01',
  mac: 'M5.5 5.5h13v9.5h-13zM3 18.5h18M10.5 18.5h3',
}

/** A drawing of the kind of device; the words beside it say the same. */
export function DeviceIcon({ kind }: { kind: Device['kind'] }) {
  return (
    <Box
      display="grid"
      placeItems="center"
      flexShrink={0}
      boxSize="2.75rem"
      bg="sunk"
      color="muted"
      borderRadius="md"
    >
      <chakra.svg
        viewBox="0 0 24 24"
        boxSize="1.75rem"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden
      >
        <path d={outlines[kind]} />
      </chakra.svg>
    </Box>
  )
}
