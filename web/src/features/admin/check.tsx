import { chakra, type HTMLChakraProps } from '@chakra-ui/react'
import type { Ref } from 'react'

interface CheckProps extends HTMLChakraProps<'input'> {
  ref?: Ref<HTMLInputElement>
}

/** The platform's own checkbox, with room for a finger around it. */
export function Check(props: CheckProps) {
  return (
    <chakra.label
      display="grid"
      placeItems="center"
      flexShrink={0}
      boxSize="1.75rem"
      css={roomForFingers}
    >
      <chakra.input
        type="checkbox"
        boxSize="1.05rem"
        m={0}
        accentColor="ember"
        cursor="pointer"
        {...props}
      />
    </chakra.label>
  )
}

const roomForFingers = { '@media (pointer: coarse)': { boxSize: 'var(--target)' } }
