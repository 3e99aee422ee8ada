#include <windows.h>

int APIENTRY WinMain(HINSTANCE a, HINSTANCE b, LPSTR c, int d)
{
    char title[16];
    sprintf(title, "%d", d);
    MessageBoxA(0, title, "hi", 0);
    return 0;
}
