import { chakra, type HTMLChakraProps } from '@chakra-ui/react'

interface AvatarProps extends HTMLChakraProps<'button'> {
  email: string
}

/** The round first letter of an address, or U without one; as a button where it opens something. */
export function Avatar({ email, ...props }: AvatarProps) {
  return (
    <chakra.button
      type="button"
      display="grid"
      placeItems="center"
      boxSize="var(--target)"
      flexShrink={0}
      bg="ember-wash"
      color="ember"
      border="1px solid transparent"
      borderRadius="full"
      fontWeight={650}
      transition="border-color var(--duration-fast)"
      _hover={{ borderColor: 'ember' }}
      {...props}
    >
      <span aria-hidden>{(email[0] ?? 'U').toUpperCase()}</span>
    </chakra.button>
  )
}
