import { chakra } from '@chakra-ui/react'

/** Something failed and stays failed until the person does something about it. */
export const Alert = chakra(
  'div',
  {
    base: {
      px: '4',
      py: '3',
      bg: 'danger-wash',
      color: 'danger',
      borderLeft: '3px solid {colors.danger}',
      borderRadius: 'sm',
      fontSize: 'sm',
      fontWeight: 550,
      overflowWrap: 'anywhere',
    },
  },
  { defaultProps: { role: 'alert' } },
)
