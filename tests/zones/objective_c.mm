// COMMENT @"COMMENT"
#import <CODE/CODE.h>
#import "STRING.h"
@interface CODE : NSObject /* COMMENT */
NSString *CODE = @"STRING \" STRING" CODE; // COMMENT
char CODE = 'S'; char *CODE = "STRING"; NSArray *CODE = @[@"STRING", CODE, @'S'];
#pragma mark - CODE
